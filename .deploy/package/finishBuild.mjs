// Completes compiled sources: node finishBuild.mjs FOLDER [CHECKOUT]. The folder gets the files of the page and
// build.json, which names the commit; there is no date in it, so that a commit compiles to the same files.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { reachableDeclarations } from './publicTypes.mjs'

const [folder = '', checkout = fileURLToPath(new URL('../..', import.meta.url))] = process.argv.slice(2)

rmSync(join(folder, 'page'), { recursive: true, force: true })
cpSync(join(checkout, 'src', 'page'), join(folder, 'page'), {
  recursive: true,
  filter: (path) => !path.endsWith('.md'),
})
writeFileSync(join(folder, 'build.json'), `${JSON.stringify({ commit: commitOf(checkout) })}\n`)

// An incremental build, which has notes in the folder, would not write declarations again that it finds up to date.
if (!existsSync(join(folder, '.tsbuildinfo'))) keepPublicTypes(folder)

/** Removes the declarations that users of the package cannot reach. */
function keepPublicTypes(path) {
  const kept = reachableDeclarations(path, 'library/developmentNode.d.ts')
  for (const name of readdirSync(path, { recursive: true, encoding: 'utf8' })) {
    if (name.endsWith('.d.ts') && !kept.has(name)) rmSync(join(path, name))
  }
}

/** Short hash, with `-dirty` where tracked files differ; `unknown` outside of git. */
function commitOf(path) {
  // Without this a checkout that is no repository of its own would take the commit of one around it.
  if (!existsSync(join(path, '.git'))) return 'unknown'
  const words = ['describe', '--always', '--dirty', '--abbrev=7', '--exclude', '*']
  const { status, stdout } = spawnSync('git', words, { cwd: path, encoding: 'utf8' })
  return status === 0 ? stdout.trim() : 'unknown'
}
