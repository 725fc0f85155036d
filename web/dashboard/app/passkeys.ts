import type { Passkey, PasskeyAssertion, SignIn, SignInChallenge } from "../api_types";
import { api, gates, type Result } from "./api";

export const passkeysWork = (): boolean => typeof PublicKeyCredential === "function";

export function base64url(bytes: ArrayBuffer): string {
  return btoa(String.fromCharCode(...new Uint8Array(bytes))).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

export function fromBase64url(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (each) => each.charCodeAt(0));
}

const ids = (list?: { id: string; type: "public-key" }[]) => list?.map(({ id, type }) => ({ id: fromBase64url(id), type }));

const failure = (message: string): Result<never> => ({
  ok: false,
  // The browser's dialog was closed, or there is no key for this page.
  error: { status: 0, code: "PASSKEY", message, details: [], requestId: null, retryAfterSeconds: null },
});

const challengeFor = (purpose: "sign_in" | "register" | "confirm") =>
  api.post<SignInChallenge>("/api/v1/sign-ins/challenge", { purpose }, { ofAccount: true, plain: purpose !== "register" });

// Asks the browser for a passkey, to sign in or to confirm.
export async function askPasskey(purpose: "sign_in" | "confirm"): Promise<Result<PasskeyAssertion>> {
  const challenge = await challengeFor(purpose);
  if (!challenge.ok) return challenge;
  const { challengeId, publicKey } = challenge.data;
  try {
    const credential = (await navigator.credentials.get({
      publicKey: {
        challenge: fromBase64url(publicKey.challenge),
        rpId: publicKey.rpId,
        timeout: publicKey.timeout,
        userVerification: publicKey.userVerification,
        allowCredentials: ids(publicKey.allowCredentials),
      },
    })) as PublicKeyCredential;
    const response = credential.response as AuthenticatorAssertionResponse;
    return {
      ...challenge,
      data: {
        challengeId,
        credentialId: base64url(credential.rawId),
        authenticatorData: base64url(response.authenticatorData),
        clientDataJson: base64url(response.clientDataJSON),
        signature: base64url(response.signature),
        ...(response.userHandle && { userHandle: base64url(response.userHandle) }),
      },
    };
  } catch (problem) {
    return failure(String(problem));
  }
}

const confirmedForMs = 9 * 60_000; // the server's ten minutes, less one for the device

async function confirmedLately(): Promise<Result<unknown>> {
  const now = await api.get<SignIn>("/api/v1/sign-ins/current", undefined, { ofAccount: true });
  if (!now.ok || now.data.mustSetCredential) return now;
  const { confirmedAt } = now.data;
  if (confirmedAt && Date.parse(confirmedAt) + confirmedForMs > Date.now()) return now;
  const error = { status: 403, code: "ERR_AUTH_013", message: "", details: [], requestId: null, retryAfterSeconds: null };
  return (await gates.confirm()) ? now : { ok: false, error };
}

// Creates a passkey in the browser and registers its public key.
export async function addPasskey(name: string): Promise<Result<Passkey>> {
  // Checked first: a passkey on the device remains even if the server then asks for a confirmation.
  const known = await confirmedLately();
  if (!known.ok) return known;
  const challenge = await challengeFor("register");
  if (!challenge.ok) return challenge;
  const { challengeId, publicKey } = challenge.data;
  let credential: PublicKeyCredential;
  try {
    credential = (await navigator.credentials.create({
      publicKey: {
        challenge: fromBase64url(publicKey.challenge),
        rp: { id: publicKey.rpId, name: publicKey.rpName },
        user: { ...publicKey.user!, id: fromBase64url(publicKey.user!.id) },
        pubKeyCredParams: publicKey.pubKeyCredParams ?? [],
        timeout: publicKey.timeout,
        excludeCredentials: ids(publicKey.excludeCredentials),
        // Discoverable without a user name at the next sign-in.
        authenticatorSelection: { residentKey: "required", requireResidentKey: true, userVerification: publicKey.userVerification },
        attestation: "none",
      },
    })) as PublicKeyCredential;
  } catch (problem) {
    return failure(String(problem));
  }
  const response = credential.response as AuthenticatorAttestationResponse;
  return api.post<Passkey>("/api/v1/me/passkeys", {
    challengeId,
    name,
    credentialId: base64url(credential.rawId),
    clientDataJson: base64url(response.clientDataJSON),
    authenticatorData: base64url(response.getAuthenticatorData()),
    publicKey: base64url(response.getPublicKey()!),
    algorithm: response.getPublicKeyAlgorithm(),
  }, { ofAccount: true });
}
