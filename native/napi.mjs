// Finds the builder of the addon. It is a development package, and an install that leaves those out cannot build.
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** Path of @napi-rs/cli's program; without it the process ends with one sentence. */
export function napiProgram() {
  try {
    const manifest = createRequire(import.meta.url).resolve('@napi-rs/cli/package.json')
    return join(dirname(manifest), 'dist', 'cli.js')
  } catch {
    console.error(
      'A source checkout is built with its development packages: run npm ci without --omit=dev and NODE_ENV=production, or install the packages that npm run package makes.',
    )
    process.exit(1)
  }
}
