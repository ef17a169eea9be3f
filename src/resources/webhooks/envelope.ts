/** The stored event, which is never changed. */
export interface EventOfEnvelope {
  business_id: number
  live: boolean
  reference: string
  type: string
  sequence: number
  /** JSON text. */
  data: string
  created_at: Date
}

/**
 * What is sent of an event, the same bytes at each attempt: nothing but its row goes in, and `data`
 * goes in as it is stored.
 */
export function bodyOf(event: EventOfEnvelope): string {
  const { reference: id, type, created_at: timestamp, live, sequence } = event
  const mode = live ? 'live' : 'test'
  const head = { id, type, timestamp, mode, businessId: event.business_id, sequence }
  return `${JSON.stringify(head).slice(0, -1)},"data":${event.data}}`
}
