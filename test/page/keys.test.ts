import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { startNode } from '../support/nodeProcess.ts'
import { accessibilityFaults, findBrowser, openBrowser, openTab, overhang, untilShown } from './browser.ts'

const KEY = 'page-key-5f1c77'

const skip = findBrowser() === null && process.env['CI'] !== 'true' ? 'no Chromium on this machine' : false

t.test('where keys are on', { skip }, async (t) => {
  const directory = t.testdir({ data: {} })
  const keysFile = join(directory, 'keys.yaml')
  writeFileSync(
    keysFile,
    JSON.stringify([{ id: 'ada', hash: createHash('sha256').update(KEY).digest('hex') }]),
  )
  const args = ['--profile', 'hosted', '--keys-file', keysFile]
  const node = await startNode({ dataDir: join(directory, 'data'), args, path: `/${KEY}` })
  t.teardown(() => node.stop())
  const browser = await openBrowser(t)
  const { origin } = new URL(node.url)
  const { page, faults } = await openTab(browser, `${origin}/`, { viewport: { width: 320, height: 640 } })
  const asks = 'This node asks for an API key'
  const enter = async (key: string, isKept: boolean) => {
    await page.getByLabel('API key', { exact: true }).fill(key)
    if (isKept) await page.getByLabel('Keep it on this device').check()
    await page.getByRole('button', { name: 'Use key' }).click()
  }
  /** Refusals that the browser wrote down since the last look, by their status; anything else as it is. */
  const refusals = () => faults.splice(0).map((fault) => /status of (\d+)/.exec(fault)?.[1] ?? fault)

  await t.test('the page asks for one, and says when it is wrong', async (t) => {
    await untilShown(page, asks)
    t.equal(await overhang(page), 0)
    t.same(await accessibilityFaults(page), [])
    t.equal(await page.locator('#usage-link').isVisible(), false)
    await enter('wrong', false)
    await page.getByText('The node does not know this key').waitFor()
    t.equal(await page.evaluate('sessionStorage.length + localStorage.length'), 0)
    t.same(refusals(), ['401', '401'])
  })

  await t.test('with it the chain is shown live, and the key nowhere', async (t) => {
    await enter(KEY, false)
    await untilShown(page, 'Local development chain')
    await page.locator('#feed[data-state=live]').waitFor()
    await page.goto(`${origin}/#/methods/eth_chainId`)
    await untilShown(page, 'eth_chainId')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByRole('group', { name: 'Result' }).getByText('"0x21"').waitFor()
    t.match(await page.getByRole('group', { name: 'curl example' }).textContent(), /YOUR_KEY/)
    t.notMatch(await page.content(), KEY)
    t.notMatch(page.url(), KEY)
    t.same(refusals(), [])
  })

  await t.test('a tab keeps it for itself', async (t) => {
    await page.reload()
    await untilShown(page, 'eth_chainId')
    t.equal(await page.evaluate('localStorage.length'), 0)
    const other = await page.context().newPage()
    await other.goto(`${origin}/`)
    await untilShown(other, asks)
    await other.close()
    t.same(refusals(), [])
  })

  await t.test('its use is told, and it is forgotten on request', async (t) => {
    await page.getByRole('link', { name: 'Usage' }).click()
    await untilShown(page, 'Usage')
    t.equal(await overhang(page), 0)
    t.same(await accessibilityFaults(page), [])
    await page.getByRole('button', { name: 'Forget the key' }).click()
    await untilShown(page, asks)
    t.equal(await page.evaluate('sessionStorage.length + localStorage.length'), 0)
    await page.reload()
    await untilShown(page, asks)
    t.same(refusals(), ['401'])
  })

  await t.test('the device keeps it when told to', async (t) => {
    await enter(KEY, true)
    await untilShown(page, /./)
    await page.locator('#usage-link').waitFor()
    const other = await page.context().newPage()
    await other.goto(`${origin}/`)
    await untilShown(other, 'Local development chain')
    t.equal(await page.evaluate('sessionStorage.length'), 0)
    await other.close()
    t.same(refusals(), [])
  })
})
