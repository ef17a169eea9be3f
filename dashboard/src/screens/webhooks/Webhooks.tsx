import { Button, Stack, Text } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import type { Webhook } from '../../../../sdk/src/operations.ts'
import { STATUS } from '../../parts/columns.tsx'
import { ListPage } from '../../parts/ListPage.tsx'
import { useNew } from '../../parts/new.ts'
import { Name, When } from '../../parts/values.tsx'
import { useMay } from '../../shell/may.ts'
import { t } from '../../texts/webhooks.ts'
import { EndpointForm } from './EndpointForm.tsx'
import { SecretOnce } from './SecretOnce.tsx'
import { wantedBy } from './wanted.ts'

/** The endpoints of the merchant's own server, which are told what happens. */
export function Webhooks() {
  const [isCreating, creating] = useNew()
  const [secret, setSecret] = useState<string>()
  const may = useMay()
  const create = may('webhooks:write') && (
    <Button leftSection={<IconPlus size={16} />} onClick={creating.open}>
      {t.addAnEndpoint}
    </Button>
  )
  return (
    <>
      <ListPage<Webhook>
        title={t.webhooks}
        actions={create}
        path="user-service/webhooks"
        columns={[
          { label: t.endpoint, cell: (endpoint) => <Endpoint of={endpoint} /> },
          { label: t.events, cell: ({ events }) => wantedBy(events) },
          STATUS,
          { label: t.health, cell: (endpoint) => <Health of={endpoint} />, onPhone: 'below' },
        ]}
        keyOf={({ reference }) => reference}
        hrefOf={({ reference }) => `webhooks/${reference}`}
        empty={{
          title: t.noEndpointsYet,
          text: t.yourServerIsToldOf,
          action: create,
        }}
      />
      <EndpointForm
        opened={isCreating}
        onClose={creating.close}
        onCreated={(created) => setSecret(created.secret ?? undefined)}
      />
      <SecretOnce secret={secret} onClose={() => setSecret(undefined)} />
    </>
  )
}

function Endpoint({ of: { url, description } }: { of: Webhook }) {
  return (
    <Stack gap={0}>
      <span className="breaks">
        <Name of={url} />
      </span>
      {description && (
        <Text span size="xs" c="dimmed">
          {description}
        </Text>
      )}
    </Stack>
  )
}

function Health({ of: { failingSince, lastSuccessAt } }: { of: Webhook }) {
  if (failingSince) {
    return (
      <Text span size="sm" c="var(--bad)">
        {t.failingSince} <When at={failingSince} />
      </Text>
    )
  }
  return (
    <Text span size="sm" c="dimmed">
      {lastSuccessAt ? (
        <>
          {t.answeredAt} <When at={lastSuccessAt} />
        </>
      ) : (
        t.nothingSentYet
      )}
    </Text>
  )
}
