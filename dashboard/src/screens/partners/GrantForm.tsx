import { Alert, MultiSelect, Radio, Stack, TextInput } from '@mantine/core'
import type { Partner } from '../../../../sdk/src/operations.ts'
import { modeOf } from '../../api/session.ts'
import { FormModal } from '../../parts/FormModal.tsx'
import { choicesFor } from '../keys/scopes.ts'

/** What no partner may have: it would keep what it was lent, or see what others do. */
const NEVER = /^(?:keys|requests|webhooks):/

const SCOPES = choicesFor((scope) => !NEVER.test(scope))

interface Values extends Record<string, unknown> {
  clientId: string
  allows: 'all' | 'some'
  scopes: string[]
}

/** Lets a partner act for the business, or changes what it may do. */
export function GrantForm({
  of: partner,
  opened,
  onClose,
}: {
  of?: Partner
  opened: boolean
  onClose(): void
}) {
  const mode = modeOf(location.pathname)
  return (
    <FormModal<Values>
      title={partner ? `What ${partner.name} may do` : 'Let a partner in'}
      opened={opened}
      onClose={onClose}
      initial={{
        clientId: partner?.clientId ?? '',
        allows: partner && partner.scopes === null ? 'all' : 'some',
        scopes: partner?.scopes ?? [],
      }}
      action={{
        path: 'user-service/partners',
        done: partner ? 'What it may do is changed.' : 'The partner has access.',
        send: ({ clientId, allows, scopes }) => ({
          clientId: clientId.trim(),
          scopes: allows === 'all' ? null : scopes,
        }),
        refresh: ['user-service/partners'],
      }}
      validate={{
        clientId: (clientId) =>
          clientId.trim().startsWith(`pc_${mode}_`) ? null : `Begins with pc_${mode}_.`,
        scopes: (scopes, { allows }) =>
          allows === 'all' || scopes.length > 0 ? null : 'Choose at least one.',
      }}
      verb={partner?.status === 'Active' ? 'Save' : 'Give access'}
    >
      {(form) => (
        <>
          {!partner && (
            <TextInput
              label="Client id"
              description="The partner tells it to you."
              placeholder={`pc_${mode}_…`}
              autoComplete="off"
              required
              data-autofocus
              {...form.getInputProps('clientId')}
            />
          )}
          <Radio.Group label="It may" {...form.getInputProps('allows')}>
            <Stack gap="xs" mt={6}>
              <Radio value="some" label="What you choose" />
              <Radio
                value="all"
                label="All that partners may: everything but keys and the request log"
              />
            </Stack>
          </Radio.Group>
          {form.values.allows === 'some' ? (
            <MultiSelect
              label="Scopes"
              placeholder={form.values.scopes.length === 0 ? 'Type: invoices, wallet…' : undefined}
              data={SCOPES}
              required
              searchable
              clearable
              hidePickedOptions
              maxDropdownHeight={260}
              nothingFoundMessage="No scope of that name."
              {...form.getInputProps('scopes')}
            />
          ) : (
            <Alert color="yellow">This can include moving money out of the wallet.</Alert>
          )}
        </>
      )}
    </FormModal>
  )
}
