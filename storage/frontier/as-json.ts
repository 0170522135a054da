/** Rows for a statement. A Postgres text cannot hold NUL; texts of the web may. */
export const asJson = (rows: readonly unknown[]): string => {
  const json = JSON.stringify(rows);
  // After an escaped backslash, `u0000` is plain text and no NUL.
  return json.includes('\\u0000') ? json.replace(/(?<!\\)((?:\\\\)*)\\u0000/g, '$1\\ufffd') : json;
};
