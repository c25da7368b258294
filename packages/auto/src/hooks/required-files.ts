/** A module while it is compiled, as Node.js has it. */
interface CompiledModule {
  exports: unknown;
  _compile(this: CompiledModule, code: string, path: string, ...rest: unknown[]): unknown;
}

/**
 * Calls `loaded` after each CommonJS file was run, before whoever requires it gets it; and after ES modules that are required.
 * `loaded` must not throw; what it returns is what is got, unless that is `undefined`. `_compile` is where all ways to load one meet: those of loaders for TypeScript as well.
 */
export function watchRequired(loaded: (path: string, exports: unknown) => unknown): void {
  const { Module } = process.getBuiltinModule('node:module') as unknown as { Module: { prototype: CompiledModule } };
  const compile = Module.prototype._compile;
  if (typeof compile !== 'function') return;
  Module.prototype._compile = function (code, path, ...rest) {
    const value = compile.call(this, code, path, ...rest);
    const exports = loaded(path, this.exports);
    if (exports !== undefined) this.exports = exports;
    return value;
  };
}
