import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { createPublicClient, createTestClient, createWalletClient, defineChain, http } from 'viem'

const URL = process.env.NODE_URL
const { abi, bytecode } = JSON.parse(readFileSync('../../contracts/Token.json', 'utf8'))
/** Behind this block the headers of the chain have another form. */
const FORK_BLOCK = 449
const SUPPLY = 10n ** 24n
const PAYEE = '0x00000000000000000000000000000000000000ee'
const LOOKS = 600

const chain = defineChain({
  id: 33,
  name: 'regtest',
  nativeCurrency: { name: 'RBTC', symbol: 'RBTC', decimals: 18 },
  rpcUrls: { default: { http: [URL] } },
})
const options = { chain, transport: http(URL), pollingInterval: 50, cacheTime: 0 }
const client = createPublicClient(options)
const admin = createTestClient({ ...options, mode: 'hardhat' })
const [account] = await createWalletClient(options).getAddresses()
const wallet = createWalletClient({ ...options, account })
const mined = async (hash) => {
  const receipt = await client.waitForTransactionReceipt({ hash })
  assert.equal(receipt.status, 'success')
  return receipt
}
const { contractAddress: token } = await mined(
  await wallet.deployContract({ abi, bytecode, args: [SUPPLY], gas: 3_000_000n }),
)
const payee = (index) => `0x${(0xaa00 + index).toString(16).padStart(40, '0')}`
const transfer = async (index, value) =>
  await mined(
    await wallet.writeContract({
      address: token,
      abi,
      functionName: 'transfer',
      args: [payee(index), value],
    }),
  )
const pay = async (value) => await mined(await wallet.sendTransaction({ to: PAYEE, value }))

for (let index = 0; index < 20; index += 1) await transfer(index % 4, BigInt(index + 1))
await pay(1n)
await admin.mine({ blocks: FORK_BLOCK, interval: 1 })
for (let index = 0; index < 20; index += 1) await transfer(index % 4, BigInt(index + 1))
await pay(2n)

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  await once(server, 'close')
  return port
}

async function until(check, output) {
  let last
  for (let look = 0; look < LOOKS; look += 1) {
    try {
      return await check()
    } catch (error) {
      last = error
    }
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  throw new Error(`${last?.message}\n${output()}`)
}

for (const ws of ['no', 'yes']) {
  describe(ws === 'yes' ? 'over WebSocket' : 'by polling', () => {
    const store = mkdtempSync(join(tmpdir(), 'rhizome-ponder-'))
    let output = ''
    let indexer
    let base
    const ask = async (query) => {
      const response = await fetch(`${base}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query: `{ ${query} }` }),
      })
      const { data, errors } = await response.json()
      if (errors !== undefined) throw new Error(JSON.stringify(errors))
      return data
    }
    /** Compares what is indexed with what the chain says. */
    const same = async () => {
      const { transfers, accounts, calls, payments, blocks } = await ask(
        'transfers(limit: 1000) { totalCount items { to value block gasUsed } } accounts { items { address sum balance } }' +
          ' calls(limit: 1000) { totalCount } payments { items { value } } blocks(limit: 1000) { items { number hash } }',
      )
      const logs = await client.getContractEvents({
        address: token,
        abi,
        eventName: 'Transfer',
        fromBlock: 0n,
      })
      const plain = ({ args, blockNumber }) => `${blockNumber} ${args.to.toLowerCase()} ${args.value}`
      const rows = transfers.items.map(({ to, value, block }) => `${block} ${to} ${value}`)
      assert.deepEqual(rows.sort(), logs.map(plain).sort())
      // The first transfer is that of the deployment.
      assert.equal(calls.totalCount, logs.length - 1)
      for (const { address, sum, balance } of accounts.items) {
        assert.equal(sum, balance)
        const now = await client.readContract({
          address: token,
          abi,
          functionName: 'balanceOf',
          args: [address],
        })
        if (address !== account.toLowerCase()) assert.equal(BigInt(balance), now)
      }
      const paid = payments.items.reduce((total, { value }) => total + BigInt(value), 0n)
      assert.equal(paid, await client.getBalance({ address: PAYEE }))
      assert.ok(blocks.items.length > 20)
      for (const { number, hash } of blocks.items) {
        assert.equal((await client.getBlock({ blockNumber: BigInt(number) })).hash, hash)
      }
    }
    before(async () => {
      const port = await freePort()
      base = `http://127.0.0.1:${port}`
      const env = { TOKEN: token, PAYEE, STORE: store, WITH_WEBSOCKET: ws, PONDER_TELEMETRY_DISABLED: 'true' }
      const args = ['node_modules/ponder/dist/esm/bin/ponder.js', 'start', '--schema', 'indexed']
      indexer = spawn(process.execPath, [...args, '--hostname', '127.0.0.1', '--port', String(port)], {
        env: { ...process.env, ...env, NODE_OPTIONS: '' },
      })
      for (const stream of [indexer.stdout, indexer.stderr]) {
        stream.setEncoding('utf8').on('data', (text) => {
          output += text
        })
      }
    })
    after(async () => {
      indexer.kill('SIGTERM')
      if (indexer.exitCode === null) await once(indexer, 'exit')
      rmSync(store, { recursive: true, force: true })
    })

    it('indexes the blocks that are there', async () => {
      await until(
        async () => {
          assert.equal(indexer.exitCode, null)
          assert.equal((await fetch(`${base}/ready`)).status, 200)
        },
        () => output,
      )
      // Over WebSocket the indexer goes on from what it calls final with the next head that it is told.
      // It is ready before it listens for heads: on a busy machine it misses the first ones.
      await until(
        async () => {
          await admin.mine({ blocks: 1 })
          await same()
        },
        () => output,
      )
    })
    it('follows new blocks', async () => {
      for (let index = 0; index < 5; index += 1) await transfer(index, 7n)
      await pay(3n)
      await until(same, () => output)
    })
    it('follows a reorganisation', async () => {
      const id = await admin.snapshot()
      for (let index = 0; index < 3; index += 1) await transfer(6, 100n)
      await until(same, () => output)
      await admin.revert({ id })
      for (let index = 0; index < 6; index += 1) await transfer(7, 11n)
      await until(same, () => output)
    })
  })
}
