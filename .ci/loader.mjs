// Runs TypeScript where it stands, with what `node --import` names: tests, tools, and the threads and processes that
// they start. The loader of tap, which coverage needs, reads the compiler twice in each of them.
import { register } from 'node:module'

if (process.env['_TAPJS_PROCESSINFO_COVERAGE_'] === '1') await import('@tapjs/typescript/import')
else register(new URL('loaderHooks.mjs', import.meta.url))
