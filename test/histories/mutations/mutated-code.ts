/** Puts a mutated module into the bundle of workflow code, which need not be bundled again for it. */
import { posix } from 'node:path';
import ts from 'typescript';
import type { Mutant } from './mutants.ts';

/** Stands between the modules of a bundle and the code that runs them. */
const afterModules = 'const __webpack_module_cache__ =';

export function mutatedCode(bundle: string, { path, text }: Pick<Mutant, 'path' | 'text'>): string {
  const { outputText } = ts.transpileModule(text, {
    compilerOptions: { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 },
  });
  const module = outputText.replace(
    /\brequire\("([^"]+)"\)/g,
    (_call, name: string) => `__webpack_require__(${JSON.stringify(moduleId(path, name))})`,
  );
  const [id, at] = [JSON.stringify(`./${path}`), bundle.indexOf(afterModules)];
  if (at < 0 || !bundle.includes(id)) throw new Error(`the bundle has no place for ${path}`);
  const definition = `__webpack_modules__[${id}] = function (module, exports, __webpack_require__) {\n${module}\n};\n`;
  return bundle.slice(0, at) + definition + bundle.slice(at);
}

/** The id that a bundle gives to a module that another one imports. */
const moduleId = (importer: string, name: string): string =>
  name.startsWith('.')
    ? `./${posix.join(posix.dirname(importer), name)}`
    : `./node_modules/${name}/lib/index.js`;
