import { api, pause, wait } from "./api";
import { noLongerIn, type SignIn, session, signedIn } from "./session";

const readsMax = 5; // in a row, for a user who was signed in

// Reads the sign-in from the server. A busy or broken server is asked again.
export async function readSession(): Promise<void> {
  for (let attempt = 0; attempt < readsMax || session.get().state === "unknown"; attempt++) {
    const result = await api.get<SignIn>("/api/v1/sign-ins/current", undefined, { ofAccount: true, plain: true });
    if (result.ok) return signedIn(result.data);
    const { status, retryAfterSeconds } = result.error;
    if (status >= 400 && status < 500 && status !== 429) return noLongerIn();
    await (retryAfterSeconds ? wait(retryAfterSeconds * 1000) : pause(attempt));
  }
}
