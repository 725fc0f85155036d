import type { ComponentChildren } from "preact";
import type { Resource } from "../../app/resource";
import { type Environment, useSession } from "../../app/session";
import { OtherWorld } from "../../components/other_world";
import { Page } from "../../components/page";
import { Loaded, Problem } from "../../components/states";

export interface ElsewhereProps<T> {
  of: Resource<T>;
  title: string;
  above: { href: string; title: string };
  children(data: T): ComponentChildren;
}

// Something by its id. If it belongs to the other environment, offers to switch instead of showing it.
export function Elsewhere<T extends { environment: Environment }>({ of, title, above, children }: ElsewhereProps<T>) {
  const { environment } = useSession();
  const its: Environment | undefined = of.data?.environment ?? (of.error?.code === "ERR_AUTH_010" ? "live" : undefined);
  if (its && its !== environment) return <OtherWorld to={its} title={title} above={above} />;
  if (of.data !== undefined)
    return (
      <>
        {of.error && <Problem error={of.error} retry={of.reload} />}
        {children(of.data)}
      </>
    );
  return (
    <Page title={title} above={above}>
      <Loaded of={of}>{() => null}</Loaded>
    </Page>
  );
}
