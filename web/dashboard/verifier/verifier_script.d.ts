// What `esbuild verifier/standalone.tsx --bundle --minify` makes, as a text. The build makes it first and says where it is
// by --alias:pixledger-verifier=FILE.txt --loader:.txt=text.
declare module "pixledger-verifier" {
  const script: string;
  export default script;
}
