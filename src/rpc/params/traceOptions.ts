import type { AccountOverride } from '../../execution/callTypes.ts'
import type { TraceForm } from '../../execution/traceForms.ts'
import { invalidParams } from '../errors.ts'
import { BLOCK_OVERRIDES_SCHEMA, type BlockOverrides, parseBlockOverrides } from './blockOverrides.ts'
import { isGiven, isJsonObject, type JsonSchema, nodeText, type Param } from './param.ts'
import { stateOverrides } from './stateOverrides.ts'

/** Switches as the reference collects them: of the options and of `tracerConfig` alike, the last one wins. */
interface Switches {
  onlyTopCall: boolean
  withLog: boolean
  diffMode: boolean
  disableMemory: boolean
  disableStack: boolean
  disableStorage: boolean
  enableMemory: boolean
  enableReturnData: boolean
  limit: number
}

type FormOf = (switches: Switches) => TraceForm

const gethLogs: FormOf = ({ enableMemory, enableReturnData, disableStack, disableStorage, limit }) => ({
  tracer: 'gethLogs',
  enableMemory,
  enableReturnData,
  disableStack,
  disableStorage,
  limit,
})

const FORMS: ReadonlyMap<string, FormOf> = new Map<string, FormOf>([
  [
    'rsktracer',
    ({ disableMemory, disableStack, disableStorage }) => ({
      tracer: 'structLogs',
      disableMemory,
      disableStack,
      disableStorage,
    }),
  ],
  ['structlogger', gethLogs],
  ['structlogs', gethLogs],
  ['calltracer', ({ onlyTopCall, withLog }) => ({ tracer: 'calls', onlyTopCall, withLog })],
  ['flatcalltracer', () => ({ tracer: 'flatCalls' })],
  ['prestatetracer', ({ diffMode }) => ({ tracer: 'prestate', diffMode })],
  ['4bytetracer', () => ({ tracer: 'fourByte' })],
  ['nooptracer', () => ({ tracer: 'noop' })],
])

const STATE_OVERRIDES = stateOverrides('stateOverrides')
const MUX = 'muxtracer'
/** Tracers of a muxTracer: each of them is an execution. */
const MAX_MUXED = 8

const NAMES = [
  'rskTracer',
  'callTracer',
  'flatCallTracer',
  'prestateTracer',
  '4byteTracer',
  'muxTracer',
  'noopTracer',
  'structLogger',
]

const PROPERTIES: Readonly<Record<string, JsonSchema>> = {
  tracer: { type: 'string', enum: NAMES },
  tracerConfig: {
    type: 'object',
    properties: {
      onlyTopCall: { type: 'boolean' },
      withLog: { type: 'boolean' },
      diffMode: { type: 'boolean' },
    },
  },
  disableMemory: { type: 'boolean' },
  disableStack: { type: 'boolean' },
  disableStorage: { type: 'boolean' },
  enableMemory: { type: 'boolean' },
  enableReturnData: { type: 'boolean' },
  limit: { type: 'integer' },
}

/**
 * Options of the debug methods (rpc.md §3.13): `tracer` of any case, rskTracer unless given; unknown
 * options are ignored, and so is what is no object.
 */
export function traceOptions(name = 'options'): Param<TraceForm> {
  return {
    name,
    schema: { type: 'object', properties: PROPERTIES },
    optional: true,
    parse: (value) => parseTraceOptions(isJsonObject(value) ? value : {}),
  }
}

/** @throws RpcError for a tracer that this node does not have */
export function parseTraceOptions(options: Record<string, unknown>): TraceForm {
  const { tracer } = options
  const name = isGiven(tracer) ? nodeText(tracer).toLowerCase() : 'rsktracer'
  if (name === MUX) return muxForm(options['tracerConfig'])
  const switches: Switches = {
    onlyTopCall: false,
    withLog: false,
    diffMode: false,
    disableMemory: false,
    disableStack: false,
    disableStorage: false,
    enableMemory: false,
    enableReturnData: false,
    limit: 0,
  }
  for (const [key, value] of Object.entries(options)) {
    if (key.toLowerCase() === 'tracerconfig' && isJsonObject(value)) {
      for (const [inner, content] of Object.entries(value)) setSwitch(switches, inner, content)
    } else setSwitch(switches, key, value)
  }
  const form = FORMS.get(name)
  if (form === undefined) throw unknownTracer(tracer)
  return form(switches)
}

/** The configuration of a muxTracer: the configurations of its tracers by their names. */
function muxForm(config: unknown): TraceForm {
  if (!isJsonObject(config)) throw invalidParams('muxTracer: tracerConfig names the tracers')
  const entries = Object.entries(config)
  if (entries.length > MAX_MUXED) throw invalidParams(`muxTracer: at most ${MAX_MUXED} tracers`)
  const forms = entries.map(([name, inner]): readonly [string, TraceForm] => {
    if (!FORMS.has(name.toLowerCase())) throw unknownTracer(name)
    return [name, parseTraceOptions({ tracer: name, tracerConfig: isJsonObject(inner) ? inner : {} })]
  })
  return { tracer: 'mux', forms }
}

function unknownTracer(tracer: unknown) {
  return invalidParams(`unknown tracer ${JSON.stringify(tracer).slice(0, 66)}`)
}

const DISABLING = new Map<string, 'disableMemory' | 'disableStack' | 'disableStorage'>([
  ['disablememory', 'disableMemory'],
  ['disablestack', 'disableStack'],
  ['disablestorage', 'disableStorage'],
])
const ENABLING: ReadonlySet<string> = new Set([
  'onlyTopCall',
  'withLog',
  'diffMode',
  'enableMemory',
  'enableReturnData',
])
const MAX_LIMIT = 0xffff_ffff

function setSwitch(switches: Switches, key: string, value: unknown): void {
  if (!isGiven(value)) return
  const on = nodeText(value).toLowerCase() === 'true'
  if (isEnabling(key)) switches[key] = on
  if (key === 'limit' && Number.isSafeInteger(value)) {
    switches.limit = Math.min(Math.max(Number(value), 0), MAX_LIMIT)
  }
  const disabling = DISABLING.get(key.toLowerCase())
  if (disabling !== undefined && on) switches[disabling] = true
}

function isEnabling(
  key: string,
): key is 'onlyTopCall' | 'withLog' | 'diffMode' | 'enableMemory' | 'enableReturnData' {
  return ENABLING.has(key)
}

/** Options of debug_traceCall. */
export interface CallTraceOptions {
  readonly form: TraceForm
  readonly overrides: readonly AccountOverride[]
  readonly blockOverrides: BlockOverrides | null
}

/** The options of {@link traceOptions} with `stateOverrides` and `blockOverrides`. */
export function callTraceOptions(name = 'options'): Param<CallTraceOptions> {
  const { parse } = traceOptions(name)
  return {
    name,
    schema: {
      type: 'object',
      properties: {
        ...PROPERTIES,
        stateOverrides: STATE_OVERRIDES.schema,
        blockOverrides: BLOCK_OVERRIDES_SCHEMA,
      },
    },
    optional: true,
    parse: (value, method) => {
      const { stateOverrides: overrides, blockOverrides } = isJsonObject(value) ? value : {}
      return {
        form: parse(value, method),
        overrides: isGiven(overrides) ? STATE_OVERRIDES.parse(overrides, method) : [],
        blockOverrides: isGiven(blockOverrides) ? parseBlockOverrides(blockOverrides, method) : null,
      }
    },
  }
}
