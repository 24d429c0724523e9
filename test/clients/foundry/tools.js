const { execFile } = require('node:child_process')
const { join } = require('node:path')
const { promisify } = require('node:util')

/** The address of the node, over HTTP and over WebSocket. */
const NODE = process.env.NODE_URL
const NODE_WS = NODE.replace('http', 'ws')

/** The first account of development nodes, here and at a peer whose key is in `NODE_KEY`. */
const KEY = process.env.NODE_KEY ?? '0xc85ef7d79691fe79573b1a7064c19c1a9819ebdbd1faaab1a8ec92344438aaf4'

const run = promisify(execFile)
/** The address goes into the environment, so that the commands are those that people type. */
const env = {
  ...process.env,
  ETH_RPC_URL: NODE,
  FOUNDRY_DISABLE_NIGHTLY_WARNING: '1',
  NO_COLOR: '1',
  PRIVATE_KEY: KEY,
}

function tool(name) {
  const program = join(__dirname, `node_modules/@foundry-rs/${name}-linux-amd64/bin/${name}`)
  return async (line, more = {}) => {
    const args = Array.isArray(line) ? line : line.split(' ').filter((part) => part !== '')
    try {
      const { stdout } = await run(program, args, {
        cwd: process.cwd(),
        env: { ...env, ...more },
        maxBuffer: 2 ** 26,
      })
      return stdout.trim()
    } catch (error) {
      throw new Error(`${name} ${args.join(' ')}\n${error.stdout}\n${error.stderr}`)
    }
  }
}

async function ask(method, ...params) {
  const response = await fetch(NODE, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const { result, error } = await response.json()
  if (error !== undefined) throw new Error(`${method}: ${JSON.stringify(error)}`)
  return result
}

module.exports = {
  NODE,
  NODE_WS,
  KEY,
  forge: tool('forge'),
  cast: tool('cast'),
  anvil: join(__dirname, 'node_modules/@foundry-rs/anvil-linux-amd64/bin/anvil'),
  ask,
}
