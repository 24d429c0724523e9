import { existsSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { makeFolder } from '../../../src/util/makeFolder.ts'
import { runInProcess } from '../../support/program.ts'

t.test('a folder is made with those above it, and one that is there is left', (t) => {
  const root = t.testdir()
  const path = join(root, 'a/b/c')
  makeFolder(path, 0o700)
  makeFolder(path, 0o755)
  t.equal(statSync(path).mode & 0o777, 0o700)
  t.equal(statSync(join(root, 'a')).mode & 0o777, 0o700)
  mkdirSync(join(root, 'target'))
  symlinkSync(join(root, 'target'), join(root, 'link'))
  makeFolder(join(root, 'link'))
  makeFolder(join(root, 'link/d'))
  t.ok(existsSync(join(root, 'target/d')))
  t.end()
})

t.test('a folder that cannot be made is an error, and takes no end of time nowhere', (t) => {
  const root = t.testdir()
  writeFileSync(join(root, 'file'), '')
  symlinkSync(join(root, 'nothing'), join(root, 'dangling'))
  symlinkSync(join(root, 'loop'), join(root, 'loop'))
  const paths = ['/proc/x', '/proc/x/y', '/proc/self/x', '/proc/self/fd/x', '/sys/x', '/dev/null/x', '\0']
  for (const name of ['file', 'file/x', 'dangling', 'dangling/x', 'loop', 'loop/x', 'x'.repeat(300)])
    paths.push(join(root, name))
  for (const path of paths) t.throws(() => makeFolder(path), { code: /^E/ }, path)
  t.end()
})

t.test('commands say where they cannot write', async (t) => {
  for (const dataDir of ['/proc/x', '/proc/self/fd/x', '/sys/x']) {
    for (const command of [['start'], ['key', 'create', '--name', 'somebody'], ['import', 'none.txt']]) {
      const ended = await runInProcess([...command, '--data-dir', dataDir])
      t.equal(ended.code, 1, `${command.join(' ')} ${dataDir}`)
      t.match(ended.stderr, new RegExp(`^error: [^\\n]*${dataDir}[^\\n]*\\n$`))
    }
  }
})
