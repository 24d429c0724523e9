import { readFileSync } from 'node:fs'
import type { NativeBuild } from '../native/buildInfo.ts'
import { programVersion } from '../util/programVersion.ts'

/** Version of this package, from its `package.json`. */
export function readVersion(): string {
  return programVersion()
}

/**
 * Short hash of the commit that the program was compiled from, followed by `-dirty` if files differed;
 * `unknown` when it was compiled outside of git, and for sources that run uncompiled.
 */
export function readCommit(): string {
  try {
    const text = readFileSync(new URL('../build.json', import.meta.url), 'utf8')
    return (JSON.parse(text) as { commit: string }).commit
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return 'unknown'
    throw thrown
  }
}

/** Version, commit and native build in one line, as `rhizome --version` prints them. */
export function describeVersion(version: string, commit: string, native: NativeBuild): string {
  const build = [native.target, native.profile, native.compiler].join(', ')
  return `${version} (commit ${commit}), native core ${native.version} (${build})`
}
