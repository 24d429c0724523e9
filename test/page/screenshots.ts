// Takes the pictures of the README: npm run --silent ts -- test/page/screenshots.ts FOLDER
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { type NodeProcess, startNode } from '../support/nodeProcess.ts'
import { findBrowser, untilShown } from './browser.ts'
import { makeSample } from './chain.ts'

const [folder = '.'] = process.argv.slice(2)
const executablePath = findBrowser()
if (executablePath === null) throw new Error('no Chromium found: install it or set CHROMIUM to its path')
const data = mkdtempSync(join(tmpdir(), 'rhizome-pictures-'))
const browser = await chromium.launch({ executablePath, chromiumSandbox: process.getuid?.() !== 0 })
let node: NodeProcess | undefined
try {
  node = await startNode({ dataDir: join(data, 'data') })
  const { url } = node
  const sample = await makeSample(node)
  const take = async (name: string, hash: string, title: string, options: object) => {
    const context = await browser.newContext(options)
    const page = await context.newPage()
    await page.goto(`${url}/${hash}`)
    await untilShown(page, title)
    await page.locator('#feed[data-state=live]').waitFor()
    await page.screenshot({ path: join(folder, name) })
    await context.close()
  }
  await take('page-desktop.png', '#/', 'Local development chain', {
    viewport: { width: 1200, height: 800 },
    colorScheme: 'light',
  })
  await take('page-phone.png', `#/tx/${sample.transfer}`, 'Transaction', {
    viewport: { width: 390, height: 780 },
    deviceScaleFactor: 2,
    colorScheme: 'dark',
  })
} finally {
  await browser.close()
  await node?.stop()
  rmSync(data, { recursive: true, force: true })
}
