/** Commands that README tells whoever has just cloned the repository. */
export interface ReadmeCommands {
  /** Builds, and starts a development chain. */
  readonly start: string
  /** Builds, and runs the tests. */
  readonly test: string
}

/**
 * Reads the two commands of the section "Run it", without their comments, so that what is tested is what README
 * says. Throws when they are not there.
 */
export function readmeCommands(readme: string): ReadmeCommands {
  const section = /^## Run it$(.*?)^## /ms.exec(readme)?.[1] ?? ''
  const block = /^```sh$(.*?)^```$/ms.exec(section)?.[1] ?? ''
  const lines = block
    .split('\n')
    .map((line) => line.replace(/\s+#.*$/, '').trim())
    .filter((line) => line !== '')
  const start = lines.find((line) => /\bnpm start\b/.test(line))
  const test = lines.find((line) => /\bnpm test\b/.test(line))
  if (start === undefined || test === undefined)
    throw new Error('README has no "Run it" with a command that starts and one that tests')
  return { start, test }
}
