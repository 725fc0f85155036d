/** By key: the text in Portuguese, and in English. */
export type Texts = Record<string, [pt: string, en: string]>;
