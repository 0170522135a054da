/**
 * Tests take no setting from the shell: with the folder, bucket or database of a real instance they would write there.
 * Imported by whatever starts processes, before it reads a setting; children have what is left.
 */
for (const name of Object.keys(process.env))
  if (name.startsWith('ORBWEAVER_')) Reflect.deleteProperty(process.env, name);
