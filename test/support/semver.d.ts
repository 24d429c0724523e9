/** What tests use of it; the package has no declarations of its own. */
declare module 'semver' {
  export function satisfies(version: string, range: string): boolean
  export function minVersion(range: string): { readonly version: string } | null
}
