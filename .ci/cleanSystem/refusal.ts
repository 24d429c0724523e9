/** What npm itself writes around the output of a script that failed. */
const OF_NPM = /^npm (error|ERR!|warn|WARN|notice)\s?/

/**
 * The sentence of a refused command that names the Node.js versions that work here; null unless exactly one
 * sentence does, and nothing else is said: no stack trace, no message of the loader.
 */
export function refusal(lines: readonly string[], working: readonly number[]): string | null {
  const said = lines.map((line) => line.replace(OF_NPM, ''))
  if (said.some((line) => /^\s+at |GLIBC_|ERR_DLOPEN|Cannot find module/.test(line))) return null
  const sentences = new Set(
    said.filter(
      (line) => line.includes('Node.js') && working.every((major) => new RegExp(`\\b${major}\\b`).test(line)),
    ),
  )
  const [sentence] = sentences
  return sentences.size === 1 && sentence !== undefined ? sentence.trim() : null
}
