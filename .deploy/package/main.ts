// Makes the packages that are installed without a compiler, from the sources and native/addon:
// npm run package [-- FOLDER], by default into build/.
import { resolve } from 'node:path'
import { makePackages } from './packages.ts'
import { PackagingError } from './runTool.ts'

try {
  const { rhizome, platform, build } = makePackages(resolve(process.argv[2] ?? 'build'))
  if (build.profile !== 'release') {
    throw new PackagingError('native/addon holds a development build: run npm run build:native first')
  }
  process.stdout.write(`${rhizome.path}\n${platform.path}\n`)
} catch (thrown) {
  if (!(thrown instanceof PackagingError)) throw thrown
  process.stderr.write(`${thrown.message}\n`)
  process.exitCode = 1
}
