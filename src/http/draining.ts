import type { Server } from 'node:http'

/** What a process has to do with requests while its server drains. */
export interface Traffic {
  /** Requests that are being handled. */
  open: number
  /** How long ago the last one arrived or ended. */
  quietMs: number
}

/** Whether this process should get no more requests, and which ones it still handles. */
export interface Draining {
  begin(): void
  hasBegun(): boolean
  traffic(): Traffic
  /** Counts the requests of a server, apart from those for the operator. */
  watch(server: Server): void
}

/** Load balancers and Prometheus send these for as long as the process runs. */
const OF_OPERATOR = /^\/(?:health\/|metrics\b)/

/**
 * While a server drains, it still handles every request, because proxies take a while to notice.
 * It closes each connection after the response, so that clients which keep connections open go
 * elsewhere too.
 */
export function openDraining(): Draining {
  let isDraining = false
  let open = 0
  let changedAt = performance.now()
  const count = (change: 1 | -1) => {
    open += change
    changedAt = performance.now()
  }
  const end = () => count(-1)

  return {
    begin() {
      isDraining = true
    },
    hasBegun: () => isDraining,
    traffic: () => ({ open, quietMs: Math.round(performance.now() - changedAt) }),
    watch(server) {
      // Comes before the handler, which may respond at once.
      server.prependListener('request', ({ url = '' }, response) => {
        // Connections of health checks stay open, so that they show as failed, not as refused.
        if (OF_OPERATOR.test(url)) return
        count(1)
        response.once('close', end)
        if (isDraining) response.shouldKeepAlive = false
      })
    },
  }
}
