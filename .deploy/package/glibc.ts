import { readFileSync } from 'node:fs'

/**
 * The highest version of glibc whose symbols a library asks for, such as `2.34`; null when it asks for none.
 * The names of versions stand as plain text in the table of dynamic strings.
 */
export function highestGlibc(library: string): string | null {
  const names = readFileSync(library, 'latin1').matchAll(/\0GLIBC_(\d+\.\d+)(?:\.\d+)?(?=\0)/g)
  let highest: string | null = null
  for (const [, version = ''] of names) {
    if (highest === null || compareVersions(version, highest) > 0) highest = version
  }
  return highest
}

/** Below zero when the first of two versions `major.minor` is the lower one. */
export function compareVersions(one: string, other: string): number {
  const [major = 0, minor = 0] = one.split('.').map(Number)
  const [otherMajor = 0, otherMinor = 0] = other.split('.').map(Number)
  return major - otherMajor || minor - otherMinor
}
