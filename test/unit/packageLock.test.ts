import { readFileSync } from 'node:fs'
import { minVersion, satisfies } from 'semver'
import t from 'tap'

type Locked = {
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly optional?: boolean
  readonly version?: string
  readonly engines?: { readonly node?: string }
}

function readPackages(): Readonly<Record<string, Locked>> {
  const text = readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8')
  return (JSON.parse(text) as { packages: Readonly<Record<string, Locked>> }).packages
}

// A registry that lacks the packages of other platforms makes npm leave them out of the lock file, and
// `npm ci` then refuses it everywhere: each needs at least its version, cpu and os.
t.test('the lock file names the optional packages of every platform', (t) => {
  const packages = readPackages()
  const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies)
      .filter(
        (name) => !(`node_modules/${name}` in packages) && !(`${path}/node_modules/${name}` in packages),
      )
      .map((name) => `${path}: ${name}`),
  )
  t.same(missing, [])
  t.end()
})

// npm warns of each that does not (EBADENGINE), and leaves those that are optional out.
t.test('every package takes every Node.js that this one takes', (t) => {
  const { '': own, ...packages } = readPackages()
  const oldest = (own?.engines?.node ?? '').split('||').map((range) => minVersion(range)?.version ?? '')
  t.ok(oldest.length > 3)
  const refused = Object.entries(packages).flatMap(([path, { optional, engines }]) =>
    oldest
      .filter((version) => optional !== true && !satisfies(version, engines?.node ?? '*'))
      .map((version) => `${path} ${engines?.node}: not ${version}`),
  )
  t.same(refused, [])
  t.end()
})
