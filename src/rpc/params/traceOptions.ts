import type { AccountOverride } from '../../execution/localExecution.ts'
import type { TraceForm } from '../../execution/tracing.ts'
import { invalidParams } from '../errors.ts'
import { isJsonObject, nodeText, type Param } from './param.ts'
import { stateOverrides } from './stateOverrides.ts'

/** Switches as the reference collects them: of the options and of `tracerConfig` alike, the last one wins. */
interface Switches {
  onlyTopCall: boolean
  withLog: boolean
  diffMode: boolean
  disableMemory: boolean
  disableStack: boolean
  disableStorage: boolean
}

/** By name in lower case. A map, because clients choose the name: objects inherit names of their own. */
const FORMS: ReadonlyMap<string, (switches: Switches) => TraceForm> = new Map([
  [
    'rsktracer',
    ({ disableMemory, disableStack, disableStorage }: Switches): TraceForm => ({
      tracer: 'structLogs',
      disableMemory,
      disableStack,
      disableStorage,
    }),
  ],
  [
    'calltracer',
    ({ onlyTopCall, withLog }: Switches): TraceForm => ({ tracer: 'calls', onlyTopCall, withLog }),
  ],
  ['prestatetracer', ({ diffMode }: Switches): TraceForm => ({ tracer: 'prestate', diffMode })],
  ['4bytetracer', (): TraceForm => ({ tracer: 'fourByte' })],
])

/**
 * Options of the debug methods (rpc.md §3.13): `tracer` of any case, rskTracer unless given; unknown
 * options are ignored, and so is what is no object.
 */
export function traceOptions(name = 'options'): Param<TraceForm> {
  return {
    name,
    schema: {
      type: 'object',
      properties: {
        tracer: { type: 'string', enum: ['rskTracer', 'callTracer', 'prestateTracer', '4byteTracer'] },
        tracerConfig: { type: 'object' },
        disableMemory: { type: 'boolean' },
        disableStack: { type: 'boolean' },
        disableStorage: { type: 'boolean' },
      },
    },
    optional: true,
    parse: (value) => {
      if (value === null) throw invalidParams(`${name} is null`)
      return parseTraceOptions(isJsonObject(value) ? value : {})
    },
  }
}

/** @throws RpcError for a tracer that this node does not have */
export function parseTraceOptions(options: Record<string, unknown>): TraceForm {
  const switches: Switches = {
    onlyTopCall: false,
    withLog: false,
    diffMode: false,
    disableMemory: false,
    disableStack: false,
    disableStorage: false,
  }
  for (const [key, value] of Object.entries(options)) {
    if (key.toLowerCase() === 'tracerconfig' && isJsonObject(value)) {
      for (const [inner, content] of Object.entries(value)) setSwitch(switches, inner, content)
    } else setSwitch(switches, key, value)
  }
  const { tracer } = options
  const form = FORMS.get(
    tracer === undefined || tracer === null ? 'rsktracer' : nodeText(tracer).toLowerCase(),
  )
  if (form === undefined) throw invalidParams(`unknown tracer ${JSON.stringify(tracer).slice(0, 66)}`)
  return form(switches)
}

const DISABLING = new Map<string, 'disableMemory' | 'disableStack' | 'disableStorage'>([
  ['disablememory', 'disableMemory'],
  ['disablestack', 'disableStack'],
  ['disablestorage', 'disableStorage'],
])

function setSwitch(switches: Switches, key: string, value: unknown): void {
  const on = nodeText(value).toLowerCase() === 'true'
  if (key === 'onlyTopCall' || key === 'withLog' || key === 'diffMode') switches[key] = on
  const disabling = DISABLING.get(key.toLowerCase())
  if (disabling !== undefined && on) switches[disabling] = true
}

/** Options of debug_traceCall. */
export interface CallTraceOptions {
  readonly form: TraceForm
  readonly overrides: readonly AccountOverride[]
}

/** The options of {@link traceOptions} with `stateOverrides`; block overrides are refused. */
export function callTraceOptions(name = 'options'): Param<CallTraceOptions> {
  const { schema, parse } = traceOptions(name)
  const parseOverrides = stateOverrides('stateOverrides').parse
  return {
    name,
    schema,
    optional: true,
    parse: (value, method) => {
      const { stateOverrides: overrides, blockOverrides } = isJsonObject(value) ? value : {}
      if (blockOverrides !== undefined && blockOverrides !== null) {
        throw invalidParams('blockOverrides are not supported')
      }
      return {
        form: parse(value, method),
        overrides: overrides === undefined || overrides === null ? [] : parseOverrides(overrides, method),
      }
    },
  }
}
