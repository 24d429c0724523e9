import { join } from 'node:path'
import { build } from 'esbuild'
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { COW_ADDRESS, COW_KEY } from '../support/accounts.ts'
import { type NodeProcess, startNode } from '../support/nodeProcess.ts'
import { ATTACKS, attackScript, sandboxedScript } from './attacks.ts'
import { findBrowser, openBrowser } from './browser.ts'
import { servePages } from './pageServer.ts'

const skip = findBrowser() === null && process.env['CI'] !== 'true' ? 'no Chromium on this machine' : false

/** Names that lead to this machine without being its own, in a browser that leaves its defence to the node. */
const ARGS = [
  '--disable-features=LocalNetworkAccessChecks,LocalNetworkAccessChecksWebSockets',
  '--host-resolver-rules=MAP attacker.example 127.0.0.1, MAP rebound.example 127.0.0.1',
  '--no-proxy-server',
]

const THIEF = `0x${'7e'.repeat(20)}`
/** Above block 449, from which headers have their last form. */
const HEIGHT = 460

const theft = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'eth_sendTransaction',
  params: [{ from: COW_ADDRESS, to: THIEF, value: '0x1', gas: '0x5208', gasPrice: '0x3938700' }],
})

const dump = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'personal_dumpRawKey', params: [COW_ADDRESS] })

/** A development node whose chain is above block 449 and was rewound. */
async function openNode(t: Test, args: readonly string[] = []): Promise<NodeProcess> {
  const node = await startNode({ dataDir: join(t.testdir({ data: {} }), 'data'), args })
  t.teardown(() => node.stop())
  await node.request('hardhat_mine', [`0x${HEIGHT.toString(16)}`])
  const snapshot = await node.request('evm_snapshot')
  await node.request('hardhat_mine', ['0x5'])
  await node.request('evm_revert', [snapshot])
  return node
}

const stolen = async (node: NodeProcess) =>
  BigInt(await node.request<string>('eth_getBalance', [THIEF, 'latest']))

/** What no page may see. */
const KEY_DIGITS = COW_KEY.slice(2)

/** Has a page of an origin without its server, such as one that was loaded before a name was rebound. */
async function fulfill(page: Page, url: string): Promise<void> {
  await page.route(url, (route) =>
    route.fulfill({ contentType: 'text/html', body: '<!doctype html><p>A page' }),
  )
}

async function pageAt(t: Test, page: Page, url: string): Promise<void> {
  await page.goto(url)
  t.equal(await page.evaluate('location.href'), url)
}

t.test('pages of other origins move nothing and read no key', { skip }, async (t) => {
  const node = await openNode(t)
  const port = await servePages(t)
  const browser = await openBrowser(t, ARGS)
  const page = await browser.newPage()
  const height = await node.request('eth_blockNumber')
  const { port: nodePort } = new URL(node.url)
  const urls = [`http://localhost:${nodePort}/`, `http://127.0.0.1:${nodePort}/`]

  await t.test('the attacks work where they are allowed to', async (t) => {
    // The page of the node is no stranger: what follows is not refused for a fault of the attacks.
    await pageAt(t, page, `${urls[0]}health`)
    const run = (name: keyof typeof ATTACKS) =>
      page.evaluate<string>(
        `(${ATTACKS[name]})(${JSON.stringify(urls[0])}, ${JSON.stringify(theft)}).catch(String)`,
      )
    t.match(await run('JSON, behind a preflight'), /"result":"0x[0-9a-f]{64}"/)
    t.match(await run('a WebSocket'), /"result":"0x[0-9a-f]{64}"/)
    t.equal(await stolen(node), 2n)
  })

  const before = await stolen(node)
  for (const origin of ['http://attacker.example', 'http://attacker.localhost', 'http://127.0.0.1']) {
    await t.test(origin, async (t) => {
      await pageAt(t, page, `${origin}:${port}/`)
      for (const url of urls) {
        for (const body of [theft, dump]) {
          const seen = await page.evaluate<Record<string, string>>(attackScript(url, body))
          t.same(Object.keys(seen), Object.keys(ATTACKS))
          t.notMatch(JSON.stringify(seen), /"result/)
          t.notMatch(JSON.stringify(seen), KEY_DIGITS)
        }
      }
      t.equal(await stolen(node), before)
    })
  }

  await t.test('the origin null', async (t) => {
    await pageAt(t, page, `http://127.0.0.1:${port}/`)
    for (const body of [theft, dump]) {
      const seen = await page.evaluate<Record<string, string>>(
        sandboxedScript(attackScript(urls[0] ?? '', body)),
      )
      t.same(Object.keys(seen), Object.keys(ATTACKS))
      t.equal(seen['a WebSocket'], 'closed')
      t.notMatch(JSON.stringify(seen), KEY_DIGITS)
    }
    t.equal(await stolen(node), before)
  })

  await t.test('a name that was rebound to the node', async (t) => {
    const rebound = `http://rebound.example:${nodePort}/`
    await fulfill(page, `${rebound}own`)
    await pageAt(t, page, `${rebound}own`)
    for (const body of [theft, dump]) {
      const seen = await page.evaluate<Record<string, string>>(attackScript(rebound, body))
      t.match(seen['JSON, behind a preflight'], /--allowed-hosts/)
      t.equal(seen['a WebSocket'], 'closed')
      t.notMatch(JSON.stringify(seen), KEY_DIGITS)
    }
    t.match(await page.evaluate('fetch("/").then((answer) => answer.text())'), /--allowed-hosts/)
    t.equal(await stolen(node), before)
  })

  t.not(await node.request('eth_blockNumber'), height, 'the own page did make blocks')
})

t.test('a page of another port reads and sends what it signed itself', { skip }, async (t) => {
  const node = await openNode(t)
  const port = await servePages(t, { '/viem.js': await bundleViem() })
  const page = await (await openBrowser(t, ARGS)).newPage()
  await pageAt(t, page, `http://localhost:${port}/`)
  const receipt = await page.evaluate<{ status: string; number: string }>(`(async () => {
    const { createPublicClient, createWalletClient, defineChain, http, webSocket, privateKeyToAccount } =
      await import('/viem.js')
    const url = ${JSON.stringify(node.url)}
    const chain = defineChain({
      id: 33, name: 'regtest', nativeCurrency: { name: 'RBTC', symbol: 'RBTC', decimals: 18 },
      rpcUrls: { default: { http: [url] } },
    })
    const reader = createPublicClient({ chain, transport: webSocket(url.replace('http', 'ws')) })
    const account = privateKeyToAccount(${JSON.stringify(COW_KEY)})
    const wallet = createWalletClient({ account, chain, transport: http() })
    const hash = await wallet.sendTransaction({ to: ${JSON.stringify(THIEF)}, value: 5n })
    const { status } = await reader.waitForTransactionReceipt({ hash })
    return { status, number: String(await reader.getBlockNumber()) }
  })()`)
  t.match(receipt, { status: 'success', number: String(HEIGHT + 1) })
  t.equal(await stolen(node), 5n)
  const seen = await page.evaluate<Record<string, string>>(attackScript(node.url, dump))
  t.match(seen['JSON, behind a preflight'], /not available to web pages of other origins/)
  t.match(seen['a WebSocket'], /not available to web pages of other origins/)
})

t.test('a trusted page may use the wallet', { skip }, async (t) => {
  const port = await servePages(t)
  const origin = `http://attacker.example:${port}`
  const node = await openNode(t, ['--trusted-origins', origin])
  const page = await (await openBrowser(t, ARGS)).newPage()
  await pageAt(t, page, `${origin}/`)
  const seen = await page.evaluate<Record<string, string>>(attackScript(node.url, theft))
  t.match(seen['JSON, behind a preflight'], /"result":"0x[0-9a-f]{64}"/)
  t.match(seen['a WebSocket'], /"result":"0x[0-9a-f]{64}"/)
  t.equal(await stolen(node), 2n, 'what needs no preflight is not taken from it either')
})

async function bundleViem(): Promise<string> {
  const contents = "export * from 'viem'; export { privateKeyToAccount } from 'viem/accounts'"
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: import.meta.dirname },
    bundle: true,
    format: 'esm',
    write: false,
  })
  return outputFiles[0]?.text ?? ''
}
