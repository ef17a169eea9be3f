import { idsOf, type PersonalData } from '../../db/personal-data.ts'

/** The deliveries of the customer's events. Those that are still waiting are never sent. */
export const deliveryPersonalData: PersonalData = {
  name: 'webhookDeliveries',
  find: async () => [],
  erase(tx, { businessId, live }, _ids, _pseudonym, found) {
    const eventIds = idsOf(found, 'events')
    return tx.run`
      with attempts as (
        delete from webhook_attempts a using webhooks w
        where w.business_id = ${businessId} and w.live = ${live}
          and a.business_id = w.business_id and a.live = w.live and a.webhook_id = w.id
          and a.event_id = any(${eventIds}::bigint[])
      )
      delete from webhook_deliveries d using webhooks w
      where w.business_id = ${businessId} and w.live = ${live}
        and d.business_id = w.business_id and d.live = w.live and d.webhook_id = w.id
        and d.event_id = any(${eventIds}::bigint[])`
  },
}
