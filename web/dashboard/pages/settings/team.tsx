import { useState } from "preact/hooks";
import type { Invitation, InvitedMember, Member } from "../../api_types";
import { api } from "../../app/api";
import { t } from "../../app/i18n";
import { useGet } from "../../app/resource";
import { can, type Role, useSession } from "../../app/session";
import { Ask } from "../../components/ask";
import { Button } from "../../components/button";
import { Dialog } from "../../components/dialog";
import { bound, FormBox, SelectField, TextField, useForm } from "../../components/form";
import { Page, Section } from "../../components/page";
import { SecretOnce } from "../../components/secret_once";
import { Loaded } from "../../components/states";
import { Table } from "../../components/table";
import { Badge, shortId, When } from "../../components/text";
import { toast } from "../../components/toast";
import { OwnersAlone } from "./owners_alone";

// A lost account has no e-mail address.
const nameOf = ({ email, userId }: Member): string => email ?? shortId(userId);

const path = "/api/v1/members";
const roles: Role[] = ["owner", "operator", "viewer"];
const roleChoices = () => roles.map((role) => [role, t(`role_${role}`)] as const);

const RoleHelp = () => (
  <dl class="facts">
    {roles.map((role) => (
      <div key={role}>
        <dt>{t(`role_${role}`)}</dt>
        <dd>{t(`teamRole_${role}`)}</dd>
      </div>
    ))}
  </dl>
);

function Invite({ members, done, onClose }: { members: Member[]; done(invited: InvitedMember): void; onClose(): void }) {
  const form = useForm({
    initial: { email: "", role: "viewer" },
    check: ({ email }): Record<string, string> => {
      if (!/^\S+@\S+$/.test(email.trim())) return { email: t("reason_email") };
      // Another invitation would change the member's role without notice.
      const there = members.find((each) => each.email?.toLowerCase() === email.trim().toLowerCase());
      return there ? { email: t("teamAlready", { role: t(`role_${there.role}`) }) } : {};
    },
    send: ({ email, role }, idempotencyKey) => api.post<InvitedMember>(path, { email: email.trim(), role }, { idempotencyKey }),
    done,
  });
  return (
    <Dialog title={t("teamInvite")} insistent={form.busy} onClose={onClose} wide>
      <FormBox form={form}>
        <div class="fields">
          <TextField {...bound(form, "email")} type="email" label={t("email")} maxLength={254} autoFocus autoComplete="off" />
          <SelectField {...bound(form, "role")} label={t("teamRole")} choices={roleChoices()} />
        </div>
        <RoleHelp />
        <div class="buttons">
          <Button disabled={form.busy} onClick={onClose}>
            {t("cancel")}
          </Button>
          <Button kind="primary" type="submit" busy={form.busy}>
            {t("teamInvite")}
          </Button>
        </div>
      </FormBox>
    </Dialog>
  );
}

function ChangeRole({ of, done, onClose }: { of: Member; done(): void; onClose(): void }) {
  const [role, setRole] = useState<string>(of.role);
  return (
    <Ask title={t("teamChange")} action={t("save")} run={(idempotencyKey) => api.patch<unknown>(`${path}/${of.userId}`, { role }, { idempotencyKey })} done={done} onClose={onClose}>
      <p>{nameOf(of)}</p>
      <SelectField name="role" label={t("teamRole")} value={role} onInput={setRole} choices={roleChoices()} />
      <RoleHelp />
    </Ask>
  );
}

type Act = { kind: "invite" } | { kind: "change" | "remove" | "again"; of: Member };

function MemberTable({ members, act }: { members: Member[]; act(next: Act): void }) {
  const own = useSession().signIn?.user.id;
  return (
    <Table
      caption={t("team")}
      rows={members}
      rowKey={({ userId }) => userId}
      columns={[
        {
          key: "email",
          head: t("email"),
          cell: (member) => (
            <span>
              <span class="strong">{nameOf(member)}</span> {member.userId === own && <Badge tone="info">{t("teamYou")}</Badge>}
            </span>
          ),
        },
        { key: "role", head: t("teamRole"), cell: ({ role }) => t(`role_${role}`) },
        {
          key: "seen",
          head: t("teamLastSignIn"),
          cell: ({ invitationPending, lastSignInAt }) =>
            invitationPending ? <Badge tone="warn">{t("teamPending")}</Badge> : lastSignInAt ? <When at={lastSignInAt} ago /> : t("never"),
        },
        { key: "added", head: t("teamSince"), cell: ({ addedAt }) => <When at={addedAt} style="day" /> },
        {
          key: "acts",
          head: t("actions"),
          silent: true,
          cell: (member) => (
            <span class="row">
              <Button label={`${t("teamChangeShort")}: ${nameOf(member)}`} onClick={() => act({ kind: "change", of: member })}>{t("teamChangeShort")}</Button>
              <Button label={`${t(member.invitationPending ? "teamAgain" : "teamReset")}: ${nameOf(member)}`} onClick={() => act({ kind: "again", of: member })}>
                {t(member.invitationPending ? "teamAgain" : "teamReset")}
              </Button>
              <Button kind="danger" label={`${t("remove")}: ${nameOf(member)}`} onClick={() => act({ kind: "remove", of: member })}>
                {t("remove")}
              </Button>
            </span>
          ),
        },
      ]}
    />
  );
}

function Team() {
  const members = useGet<Member[]>(path);
  const [act, setAct] = useState<Act | null>(null);
  const [link, setLink] = useState<string | null>(null);
  const close = () => setAct(null);
  const over = (said?: string) => {
    close();
    members.reload();
    if (said) toast(said);
  };
  // No link if the first reply was lost and this one repeats it.
  const invited = ({ url }: Pick<InvitedMember, "url">) => {
    over();
    if (url === null) toast(t("teamNoLink"), "bad");
    setLink(url);
  };
  return (
    <Page
      title={t("team")}
      lead={t("teamLead")}
      actions={
        <Button kind="primary" icon="plus" onClick={() => setAct({ kind: "invite" })}>
          {t("teamInvite")}
        </Button>
      }
    >
      <Section title={t("team")} quiet>
        <Loaded of={members}>{(rows) => <MemberTable members={rows} act={setAct} />}</Loaded>
      </Section>
      {act?.kind === "invite" && <Invite members={members.data ?? []} done={invited} onClose={close} />}
      {act?.kind === "change" && <ChangeRole of={act.of} done={() => over(t("saved"))} onClose={close} />}
      {act?.kind === "remove" && (
        <Ask title={t("teamRemove")} action={t("teamRemove")} danger run={(idempotencyKey) => api.remove<unknown>(`${path}/${act.of.userId}`, { idempotencyKey })} done={() => over(t("teamRemoved"))} onClose={close}>
          <p>{t("teamRemoveWhy", { email: nameOf(act.of) })}</p>
        </Ask>
      )}
      {act?.kind === "again" && (
        <Ask<Invitation>
          once
          title={t(act.of.invitationPending ? "teamAgain" : "teamReset")}
          action={t("teamInviteMake")}
          run={(idempotencyKey) => api.post<Invitation>(`${path}/${act.of.userId}/invite`, {}, { idempotencyKey })}
          done={invited}
          onClose={close}
        >
          <p>{t(act.of.invitationPending ? "teamAgainWhy" : "teamResetWhy", { email: nameOf(act.of) })}</p>
        </Ask>
      )}
      {link && <SecretOnce title={t("teamLink")} secret={link} why={t("teamLinkOnce")} onClose={() => setLink(null)} />}
    </Page>
  );
}

export const TeamPage = () => (can("manage") ? <Team /> : <OwnersAlone title={t("team")} />);
