declare module "*/sdk/node/lib/operations.cjs" {
  /** By group and name: how it is called, its method and its path. */
  const operations: Record<string, unknown>;
  export default operations;
}
