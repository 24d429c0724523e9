import type { Tracing } from '../observe/tracing.ts'
import type { RpcError } from '../rpc/errors.ts'
import { AnswerHeaders, type HeadSource } from './answerHeaders.ts'
import { AnswerPacer } from './answerPacer.ts'
import { type DrainLimits, drain } from './drain.ts'
import { FrontMetrics, type FrontStats } from './frontMetrics.ts'
import type { HttpRoutes } from './http.ts'
import type { FrontOptions } from './options.ts'
import { Origins } from './origins.ts'
import { readPageFiles } from './pageFiles.ts'
import { type Front, listen } from './server.ts'
import type { SocketLibrary } from './socketLibrary.ts'
import { TickBudget } from './tickBudget.ts'

/** The parts that sockets are put before. */
export interface FrontParts
  extends Pick<
    HttpRoutes,
    'events' | 'gateway' | 'admission' | 'answerBytes' | 'probes' | 'usageReport' | 'onReclaimedSocket'
  > {
  readonly sockets: SocketLibrary
  readonly options: FrontOptions
  /** The head that answers name; null when they name none. */
  readonly head: HeadSource | null
  /** Receiver of spans; none when absent. */
  readonly tracing?: Tracing
}

/** The sockets of a service. */
export interface OpenFront extends Front {
  stats(): FrontStats
  /**
   * Takes no further connections and finishes what was asked, within limits. Then it is to be closed.
   * @param leave called once requests are no longer sent here, before that; it is waited for
   * @param abandon ends with an error what was not answered in time
   */
  drain(limits: DrainLimits, leave: () => Promise<void>, abandon: (error: RpcError) => void): Promise<void>
}

/**
 * Makes what all sockets share, and listens.
 * @throws ListenError, TlsError
 */
export async function openFront(parts: FrontParts): Promise<OpenFront> {
  const { sockets, head, tracing = null, ...given } = parts
  const { options } = given
  const page = options.page ? await readPageFiles() : null
  const metrics = new FrontMetrics()
  const pacer = new AnswerPacer()
  const front = await listen(sockets, {
    ...given,
    origins: new Origins(options),
    page,
    metrics,
    pacer,
    headers: head === null ? null : new AnswerHeaders(head),
    loop: new TickBudget(),
    tracing,
  })
  return {
    ...front,
    stats: () => metrics.stats(),
    drain: (limits, leave, abandon) => drain({ front, metrics, abandon }, limits, leave),
    close: () => {
      pacer.close()
      front.close()
    },
  }
}
