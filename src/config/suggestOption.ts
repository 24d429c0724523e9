import { OTHER_NAMES } from './otherNames.ts'
import { isTypingError, suggest } from './suggest.ts'

/**
 * The key that was probably meant by a name that is none: an option that other programs call so, one that is written
 * almost so, or the only one that has all of its words.
 * @param given as a flag, an environment name or a key of a file
 * @param keys in camel case
 */
export function suggestOption(given: string, keys: readonly string[]): string | undefined {
  const name = plainName(given)
  if (name === '') return undefined
  const byName = new Map(keys.map((key) => [plainName(key), key]))
  const exact = byName.get(name) ?? keys.find((key) => hasOtherName(key, (other) => other === name))
  if (exact !== undefined) return exact
  const near = suggest(name, [...byName.keys()])
  if (near !== undefined) return byName.get(near)
  const almost = keys.find((key) => hasOtherName(key, (other) => isTypingError(name, other)))
  if (almost !== undefined) return almost
  const words = name.split('-')
  const containing = keys.filter((key) => {
    const own = plainName(key).split('-')
    return words.every((word) => own.includes(word))
  })
  return containing.length === 1 ? containing[0] : undefined
}

function hasOtherName(key: string, test: (name: string) => boolean): boolean {
  return Object.hasOwn(OTHER_NAMES, key) && (OTHER_NAMES[key] ?? []).some(test)
}

/** Words with hyphens, in whatever form the name is. */
function plainName(name: string): string {
  return name
    .replace(/^--?/, '')
    .replace(/^RHIZOME_/, '')
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replaceAll(/[._\s-]+/g, '-')
    .toLowerCase()
}
