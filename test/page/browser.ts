import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import type { Test } from 'tap'

const PATHS = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome-stable',
  '/usr/bin/google-chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

/** Milliseconds that a step may take: machines of tests are slow and shared. */
const STEP_LIMIT = 60_000

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

/** A path of a browser: that of the variable CHROMIUM, or one where systems put it; null when there is none. */
export function findBrowser(): string | null {
  const named = process.env['CHROMIUM']
  return [...(named === undefined ? [] : [named]), ...PATHS].find((path) => existsSync(path)) ?? null
}

/**
 * Opens a headless browser that ends with the test.
 * @param args further arguments of its command line
 * @throws Error when there is none, which CI must not skip over
 */
export async function openBrowser(t: Test, args: string[] = []): Promise<Browser> {
  const executablePath = findBrowser()
  if (executablePath === null) throw new Error('no Chromium found: install it or set CHROMIUM to its path')
  const browser = await chromium.launch({
    executablePath,
    args,
    // Its sandbox refuses to work for the superuser, as whom containers run.
    chromiumSandbox: process.getuid?.() !== 0,
  })
  t.teardown(() => browser.close())
  return browser
}

/** A tab, and everything in it that no page of ours may ever do. */
export interface Tab {
  readonly page: Page
  /** Messages of errors and warnings, violations of the policy, requests to others and failed ones. */
  readonly faults: string[]
}

/** Opens a tab that takes notes. */
export async function openTab(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<Tab> {
  const context = await browser.newContext({ viewport: { width: 1200, height: 800 }, ...options })
  context.setDefaultTimeout(STEP_LIMIT)
  const page = await context.newPage()
  const faults: string[] = []
  const { origin } = new URL(url)
  const isOurs = (address: string) => [origin, origin.replace('http', 'ws')].includes(new URL(address).origin)
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) faults.push(`${message.type()}: ${message.text()}`)
  })
  page.on('pageerror', (error) => faults.push(`exception: ${error.message}`))
  page.on('dialog', (dialog) => {
    faults.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('request', (request) => {
    if (!isOurs(request.url())) faults.push(`request to ${request.url()}`)
  })
  page.on('websocket', (socket) => {
    if (!isOurs(socket.url())) faults.push(`socket to ${socket.url()}`)
  })
  await page.addInitScript(
    "addEventListener('securitypolicyviolation', (event) => console.error('policy: ' + event.violatedDirective + ' ' + event.blockedURI))",
  )
  await page.goto(url)
  return { page, faults }
}

/** Waits until the view of the address is there. */
export async function untilShown(page: Page, title: string | RegExp): Promise<void> {
  await page.locator('main:not([aria-busy]) h1', { hasText: title }).waitFor()
}

/** Pixels by which the page is wider than the window. */
export function overhang(page: Page): Promise<number> {
  return page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth')
}

/** What axe finds against WCAG 2.2 AA and its own good practices, one line each. */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  // Evaluated from outside, so that the policy of the page stays as it is.
  if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(await readFile(AXE, 'utf8'))
  // A view that has just come still fades in, and is paler than it will be.
  await page.evaluate('Promise.allSettled(document.getAnimations().map(({ finished }) => finished))')
  const found = await page.evaluate<{ id: string; nodes: { target: string[]; failureSummary: string }[] }[]>(
    'axe.run(document).then(({ violations }) => violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ target, failureSummary }) => ({ target, failureSummary })) })))',
  )
  return found.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id} at ${target.join(' ')}: ${failureSummary}`),
  )
}
