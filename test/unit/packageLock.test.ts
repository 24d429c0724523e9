import { readFileSync } from 'node:fs'
import t from 'tap'

type Locked = { readonly optionalDependencies?: Readonly<Record<string, string>> }

// A registry that lacks the packages of other platforms makes npm leave them out of the lock file, and
// `npm ci` then refuses it everywhere: each needs at least its version, cpu and os.
t.test('the lock file names the optional packages of every platform', (t) => {
  const text = readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8')
  const { packages } = JSON.parse(text) as { packages: Readonly<Record<string, Locked>> }
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
