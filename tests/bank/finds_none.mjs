// Whether an answer says that an account has no payments in the window that was asked for.
export function findsNone(answer, { operation }) {
  if (operation !== 'pix.list' || answer.status !== 200) return false;
  const { pix } = JSON.parse(answer.body.toString('utf8').replace(/^\uFEFF/, ''));
  return !pix?.length;
}
