// Runs at `npm ci` of a source checkout: builds the native core through node-gyp and binding.gyp. Where the sources
// are not beside it (a package) nothing is built: the core comes in the package of the platform. node-gyp is pointed at
// the headers that come with this Node, so that it downloads nothing; where the headers or Python are
// missing the build needs neither, and is started directly. Before that it is settled which socket library runs here,
// because a system without one should not be told so after minutes of building.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { napiProgram } from './napi.mjs'
import {
  chooseBinary,
  installedPackages,
  prepareBinary,
  readHost,
  SocketLibraryError,
} from './sockets/binaries.mjs'

const native = dirname(fileURLToPath(import.meta.url))
const root = dirname(native)
if (!existsSync(join(native, 'Cargo.toml'))) process.exit(0)
napiProgram()

try {
  prepareBinary(chooseBinary(readHost(), installedPackages()))
} catch (error) {
  if (!(error instanceof SocketLibraryError)) throw error
  console.error(error.message)
  process.exit(1)
}

const nodeDir = dirname(dirname(process.execPath))
const nodeGyp = process.env.npm_config_node_gyp
const hasHeaders = existsSync(join(nodeDir, 'include', 'node', 'common.gypi'))
const hasPython = spawnSync('python3', ['--version']).status === 0
const hasMake = spawnSync('make', ['--version']).status === 0

const args =
  nodeGyp !== undefined && hasHeaders && hasPython && hasMake
    ? [nodeGyp, 'rebuild', `--nodedir=${nodeDir}`, '--loglevel=error']
    : [join(native, 'build.mjs')]
const result = spawnSync(process.execPath, args, { stdio: 'inherit', cwd: root })
process.exit(result.status ?? 1)
