const { execFileSync, spawn } = require('node:child_process')
const { existsSync, mkdtempSync, rmSync } = require('node:fs')
const { createServer } = require('node:net')
const { tmpdir } = require('node:os')
const { join } = require('node:path')
const { setTimeout: sleep } = require('node:timers/promises')

const GETH = 'github.com/ethereum/go-ethereum/cmd/geth@v1.15.11'
const ANVIL = join(__dirname, 'node_modules/@foundry-rs/anvil-linux-amd64/bin/anvil')

/** JSON-RPC to one node; an error of the answer is thrown with its code. */
function client(url) {
  return async (method, ...params) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    })
    const { result, error } = await response.json()
    if (error !== undefined)
      throw Object.assign(new Error(`${method}: ${error.message}`), { code: error.code })
    return result
  }
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address()
  await new Promise((resolve) => server.close(resolve))
  return port
}

async function started(program, args, port) {
  const child = spawn(program, args, { stdio: 'ignore' })
  const ask = client(`http://127.0.0.1:${port}`)
  for (let left = 600; ; left -= 1) {
    if (
      await ask('eth_chainId').then(
        () => true,
        () => false,
      )
    )
      break
    if (left === 0 || child.exitCode !== null) throw new Error(`${program} does not answer`)
    await sleep(100)
  }
  const stop = async () => {
    if (child.exitCode !== null) return
    child.kill()
    await new Promise((resolve) => child.once('exit', resolve))
  }
  return { ask, stop }
}

/** geth with a chain for development; Go builds it when it is not there. */
async function startGeth() {
  const folder = join(__dirname, 'build')
  const program = join(folder, 'geth')
  if (!existsSync(program)) {
    execFileSync('go', ['install', GETH], {
      stdio: 'inherit',
      env: { ...process.env, GOBIN: folder, HOME: homeOfGo() },
    })
  }
  const port = await freePort()
  const data = mkdtempSync(join(tmpdir(), 'rhizome-geth-'))
  const http = ['--http', '--http.port', String(port), '--http.api', 'eth,debug,txpool,web3,net']
  const alone = ['--nodiscover', '--port', '0', '--authrpc.port', '0', '--ipcdisable', '--maxpeers', '0']
  const peer = await started(
    program,
    ['--dev', '--gcmode', 'archive', '--state.scheme', 'hash', '--datadir', data, ...http, ...alone],
    port,
  )
  return {
    ask: peer.ask,
    stop: async () => {
      await peer.stop()
      rmSync(data, { recursive: true, force: true })
    },
  }
}

/** The runner gives suites a home of their own; what Go has downloaded is in the one of the account. */
function homeOfGo() {
  return require('node:os').userInfo().homedir
}

async function startAnvil() {
  const port = await freePort()
  return started(ANVIL, ['--port', String(port), '--hardfork', 'cancun', '--steps-tracing'], port)
}

module.exports = { client, startAnvil, startGeth }
