import { join } from 'node:path'
import t from 'tap'
import { startNode } from '../support/nodeProcess.ts'
import { runInProcess } from '../support/program.ts'
import { accessibilityFaults, findBrowser, openBrowser, openTab, overhang, untilShown } from './browser.ts'

const skip = findBrowser() === null && process.env['CI'] !== 'true' ? 'no Chromium on this machine' : false

const ADDRESS = `0x${'12'.repeat(20)}`
const DAILY_QUOTA = 5_000_000

interface Sums {
  readonly requests: number
  readonly cost: number
  readonly bytes: number
  readonly errors: number
  readonly refused: number
}

interface Usage {
  readonly day: string
  readonly today: Sums
  readonly left: { readonly dailyQuota: number }
  readonly days: readonly { readonly methods: readonly (Sums & { readonly method: string })[] }[]
}

t.test('the usage of a key in a browser is what was asked with it', { skip }, async (t) => {
  const dataDir = join(t.testdir({ data: {} }), 'data')
  const secret = await createKey(dataDir, 'ada', '--name', 'Ada', '--daily-quota', String(DAILY_QUOTA))
  const other = await createKey(dataDir, 'bob')
  const node = await startNode({ dataDir, args: ['--profile', 'hosted'], path: `/${secret}` })
  t.teardown(() => node.stop())
  const { origin } = new URL(node.url)
  const usage = async () => (await (await fetch(`${node.url}/usage`)).json()) as Usage

  // The page itself asks none of these in the views that are opened.
  const bytes = { eth_getStorageAt: 0, eth_getCode: 0 }
  const ask = async (method: keyof typeof bytes, params: readonly unknown[], path: string = secret) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const headers = { 'content-type': 'application/json' }
    const answer = await (await fetch(`${origin}/${path}`, { method: 'POST', headers, body })).text()
    if (path === secret) bytes[method] += answer.length
  }
  for (let count = 0; count < 5; count += 1) await ask('eth_getStorageAt', [ADDRESS, '0x0', 'latest'])
  await ask('eth_getStorageAt', ['nobody', '0x0', 'latest'])
  for (let count = 0; count < 3; count += 1) await ask('eth_getCode', [ADDRESS, 'latest'])
  for (let count = 0; count < 7; count += 1) await ask('eth_getCode', [ADDRESS, 'latest'], other)

  const browser = await openBrowser(t)
  const { page, faults } = await openTab(browser, `${origin}/`, { viewport: { width: 1200, height: 900 } })
  await untilShown(page, 'This node asks for an API key')
  await page.getByLabel('API key', { exact: true }).fill(secret)
  await page.getByRole('button', { name: 'Use key' }).click()
  await untilShown(page, 'Local development chain')
  await page.getByRole('link', { name: 'Usage' }).click()
  await untilShown(page, 'Usage')
  const table = (name: string) => page.getByRole('table', { name })
  const row = async (name: string, first: string) =>
    (await table(name).getByRole('row').filter({ hasText: first }).locator('th, td').allTextContents()).map(
      (text) => text.trim(),
    )
  const shown = (name: string, { requests, cost, bytes, errors, refused }: Sums) => [
    name,
    ...[requests, cost, bytes, errors, refused].map((value) => value.toLocaleString('en-US')),
  ]

  await t.test('by method', async (t) => {
    const methods = (await usage()).days.flatMap(({ methods }) => methods)
    for (const [method, requests, errors] of [
      ['eth_getStorageAt', 6, 1],
      ['eth_getCode', 3, 0],
    ] as const) {
      const found = methods.find((sums) => sums.method === method)
      t.match(found, { requests, errors, refused: 0, bytes: bytes[method] }, `${method} as it was asked`)
      t.ok((found?.cost ?? 0) > 0)
      t.same(await row('Usage by method', method), shown(method, found as Sums), `${method} as it is shown`)
    }
  })

  await t.test('of today, and what is left', async (t) => {
    await page.reload()
    await untilShown(page, 'Usage')
    const text = (await page.locator('main').textContent()) ?? ''
    // The page is counted, too: it may have asked more since it showed the sums.
    const after = await usage()
    const { requests, cost } = numbersOf(text)
    t.ok(requests >= 9 && requests <= after.today.requests, `${requests} of ${after.today.requests}`)
    t.ok(cost <= after.today.cost && cost >= requests, `${cost} of ${after.today.cost}`)
    t.match(text, `${(DAILY_QUOTA - cost).toLocaleString('en-US')} of 5,000,000 cost units`)
    t.match(text, 'Ada (ada)')
    t.match(text, `Today, ${after.day}`)
    t.equal((await row('Usage by day', after.day))[0], after.day)
  })

  await t.test('and nothing of others', async (t) => {
    const content = await page.content()
    t.notMatch(content, secret)
    t.notMatch(content, 'bob')
    t.equal(await overhang(page), 0)
    t.same(await accessibilityFaults(page), [])
  })

  // The page looks whether the node is open before it asks for a key.
  t.same(
    faults.filter((fault) => !/status of 401/.test(fault)),
    [],
  )
})

/** Requests and cost units of today as the page shows them. */
function numbersOf(text: string): { readonly requests: number; readonly cost: number } {
  const [, requests, cost] = /Requests\s*([\d,]+)\s*Cost units\s*([\d,]+)/.exec(text) ?? []
  const value = (shown: string | undefined) => Number(shown?.replaceAll(',', '') ?? Number.NaN)
  return { requests: value(requests), cost: value(cost) }
}

async function createKey(dataDir: string, id: string, ...words: string[]): Promise<string> {
  const { code, stdout, stderr } = await runInProcess([
    ...['key', 'create', '--id', id, '--data-dir', dataDir],
    ...words,
  ])
  if (code !== 0) throw new Error(stderr)
  return stdout.trim()
}
