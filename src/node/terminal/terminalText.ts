import { styleText } from 'node:util'
import type { ExecutionReport, UnknownMethodReport } from '../../rpc/reports/executionReports.ts'
import { formatCoins } from '../../util/coins.ts'
import type { DescribedExecution } from './describedExecution.ts'

const INDENT = '  '
const LABEL_WIDTH = 21
/** Characters that move the cursor, change colours or turn text around, which contracts could print to deceive. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const CONTROL = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/** Lines of a report for a terminal, with an empty one at their end. @param isColored whether it shows colours */
export function terminalText(
  report: ExecutionReport,
  described: DescribedExecution | null,
  isColored: boolean,
): string {
  if (report.kind === 'emptyBlocks') return `${emptyBlocks(report.first, report.last)}\n\n`
  if (report.kind === 'unknownMethod') return unknownMethod(report, isColored)
  const isFailed = report.kind === 'refusal' || (described !== null && described.failure !== null)
  const title = report.method ?? 'transaction'
  const lines = [isColored ? styleText(isFailed ? 'red' : 'green', title, { validateStream: false }) : title]
  for (const [label, value] of fieldsOf(report, described))
    lines.push(`${INDENT}${`${label}:`.padEnd(LABEL_WIDTH)}${plain(value).replaceAll('\n', ' ')}`)
  if (described !== null && described.console.length > 0) {
    lines.push(
      '',
      `${INDENT}console.log:`,
      ...described.console.flatMap((text) => indented(text, INDENT + INDENT)),
    )
    const more = 'summary' in report ? report.summary.moreConsole : 0
    if (more > 0) lines.push(`${INDENT}${INDENT}… and ${more} more`)
  }
  const failure = report.kind === 'refusal' ? report.reason : described?.failure
  if (failure != null) {
    const text = indented(`Error: ${failure}`, INDENT).join('\n')
    lines.push('', isColored ? styleText('red', text, { validateStream: false }) : text)
  }
  return `${lines.join('\n')}\n\n`
}

function unknownMethod({ method, times, reason }: UnknownMethodReport, isColored: boolean): string {
  const title = plain(method ?? 'other methods').replaceAll('\n', ' ')
  const text = `${title}${times === 1 ? '' : ` (${times} times by now)`}`
  const lines = `${INDENT}Error: ${plain(reason).replaceAll('\n', ' ')}`
  return isColored
    ? `${styleText('yellow', text, { validateStream: false })}\n${styleText('red', lines, { validateStream: false })}\n\n`
    : `${text}\n${lines}\n\n`
}

function emptyBlocks(first: number, last: number): string {
  return first === last ? `Mined empty block #${first}` : `Mined empty blocks #${first} to #${last}`
}

function fieldsOf(
  report: Exclude<ExecutionReport, { kind: 'emptyBlocks' | 'unknownMethod' }>,
  described: DescribedExecution | null,
): [label: string, value: string][] {
  if (report.kind === 'refusal') return report.hash === null ? [] : [['Transaction', report.hash]]
  const { summary } = report
  const fields: [string, string][] = []
  if (described !== null) fields.push(...targetFields(described))
  if (summary.created !== null) fields.push(['Contract address', summary.created])
  if (report.kind === 'transaction') fields.push(['Transaction', report.hash])
  fields.push(['From', summary.from])
  if (summary.to !== null) fields.push(['To', summary.to])
  if (report.kind === 'transaction' || summary.value > 0n)
    fields.push(['Value', `${formatCoins(summary.value)} RBTC`])
  const used = report.kind === 'call' ? summary.gasUsed : report.gasUsed
  fields.push(['Gas used', `${used} of ${report.gasLimit}`])
  if (report.kind === 'call') fields.push(['Block', `#${report.block}`])
  else fields.push([`Block #${report.block}`, report.blockHash])
  if (described?.isCodeMissing === true) fields.push(['Warning', 'the called account has no code'])
  return fields
}

function targetFields(described: DescribedExecution): [string, string][] {
  const { contract, function: called, isCreation, isCodeMissing } = described
  if (isCreation)
    return [['Contract deployment', contract === null ? '(unknown contract)' : targetText(described)]]
  // Sending money to somebody calls nothing.
  if (isCodeMissing || (contract === null && called === null)) return []
  return [['Contract call', targetText(described)]]
}

/** `Token.transfer(0x…, 5)`. */
function targetText({ contract, function: called }: DescribedExecution): string {
  const name = contract ?? '(unknown contract)'
  return called === null
    ? name
    : called.startsWith('constructor')
      ? `${name}${called.slice('constructor'.length)}`
      : `${name}.${called}`
}

/** Lines that nobody takes for those of another report. */
function indented(text: string, indent: string): string[] {
  return plain(text)
    .split('\n')
    .map((line) => `${indent}${line}`)
}

/** A text without what a terminal would obey. */
function plain(text: string): string {
  return text.replaceAll(
    CONTROL,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
