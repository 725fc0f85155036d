// Banco Central's document of the API Pix, which is not part of the project: where it is, and its patched
// form.
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { patched } from './patches.mjs';

const beside = fileURLToPath(new URL('../../../shared/bacen/openapi-2.9.0.yaml', import.meta.url));

// PIX_OPENAPI, or what lies beside the project; null where there is neither.
export function findDocument() {
  const named = process.env.PIX_OPENAPI;
  if (named && !existsSync(named)) throw new Error(`PIX_OPENAPI names no file: ${named}`);
  return named || (existsSync(beside) ? beside : null);
}

export const withoutDocument =
  'no document of the API Pix here (PIX_OPENAPI=FILE names it): nothing is held to it';

// As it was written.
export async function readDocument(path) {
  const { default: yaml } = await import('yaml');
  const document = yaml.parse(readFileSync(path, 'utf8'));
  if (document.info?.version !== '2.9.0') throw new Error(`${path} is not release 2.9.0 of the API Pix`);
  return document;
}

export const patchedDocument = async (path) => patched(await readDocument(path));
