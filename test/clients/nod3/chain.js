const { parentPort } = require('node:worker_threads')

/** Blocks without transactions of users: a test counts the traces of each transaction through its block. */
const BLOCKS = 25
const BLOCK_EVERY_MS = 3000

async function ask(method, ...params) {
  const response = await fetch(process.env.NODE_URL, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const { result, error } = await response.json()
  if (error !== undefined) throw new Error(`${method}: ${error.message}`)
  return result
}

async function run() {
  await ask('hardhat_mine', `0x${BLOCKS.toString(16)}`)
  parentPort.postMessage('ready')
  setInterval(() => ask('evm_mine').catch(() => {}), BLOCK_EVERY_MS)
}

run()
