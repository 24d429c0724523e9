import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** Configuration files by which a folder is known as a project, and where its tool puts artifacts by default. */
const TOOLS = [
  {
    files: ['js', 'cjs', 'mjs', 'ts', 'cts', 'mts'].map((end) => `hardhat.config.${end}`),
    output: 'artifacts',
  },
  { files: ['foundry.toml'], output: 'out' },
  { files: ['truffle-config.js', 'truffle-config.cjs', 'truffle.js'], output: join('build', 'contracts') },
] as const

const FOUNDRY_OUTPUT = /^\s*out\s*=\s*["']([^"'\n]+)["']/m

/**
 * Folders in which a project of Hardhat, Foundry or Truffle has its artifacts, which need not exist yet.
 * @param isGiven whether the user named the folder: then it needs no configuration file
 * @returns none for a folder that is no project
 */
export function artifactFolders(project: string, isGiven: boolean): readonly string[] {
  const found = TOOLS.filter(({ files }) => files.some((file) => existsSync(join(project, file))))
  const tools = found.length > 0 || !isGiven ? found : TOOLS
  return tools.map(({ output }) =>
    resolve(project, output === 'out' ? (foundryOutput(project) ?? output) : output),
  )
}

/** The folder that Foundry's configuration names; null where it names none. */
function foundryOutput(project: string): string | null {
  try {
    return FOUNDRY_OUTPUT.exec(readFileSync(join(project, 'foundry.toml'), 'utf8'))?.[1] ?? null
  } catch {
    return null
  }
}
