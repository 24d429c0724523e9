/**
 * Other builds that are measured by turns, as `--before NAME=DIR` gives them.
 * @returns name and folder of each
 * @throws Error for a build without a name
 */
export function readNamedBuilds(texts: readonly string[]): (readonly [name: string, folder: string])[] {
  return texts.map((text) => {
    const [name = '', folder] = text.split(/=(.*)/s)
    if (name === '' || folder === undefined) throw new Error(`--before: NAME=DIR expected, not ${text}`)
    return [name, folder]
  })
}
