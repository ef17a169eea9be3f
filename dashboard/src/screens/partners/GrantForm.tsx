import { Alert, MultiSelect, Radio, Stack, TextInput } from '@mantine/core'
import type { Partner } from '../../../../sdk/src/operations.ts'
import { modeOf } from '../../api/session.ts'
import { FormModal } from '../../parts/FormModal.tsx'
import { t } from '../../texts/partners.ts'
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
      title={partner ? t.whatMayDo(partner.name) : t.letAPartnerIn}
      opened={opened}
      onClose={onClose}
      initial={{
        clientId: partner?.clientId ?? '',
        allows: partner && partner.scopes === null ? 'all' : 'some',
        scopes: partner?.scopes ?? [],
      }}
      action={{
        path: 'user-service/partners',
        done: partner ? t.whatItMayDoIs : t.thePartnerHasAccess,
        send: ({ clientId, allows, scopes }) => ({
          clientId: clientId.trim(),
          scopes: allows === 'all' ? null : scopes,
        }),
        refresh: ['user-service/partners'],
      }}
      validate={{
        clientId: (clientId) =>
          clientId.trim().startsWith(`pc_${mode}_`) ? null : t.beginsWithPc(mode),
        scopes: (scopes, { allows }) =>
          allows === 'all' || scopes.length > 0 ? null : t.chooseAtLeastOne,
      }}
      verb={partner?.status === 'Active' ? t.save : t.giveAccess}
    >
      {(form) => (
        <>
          {!partner && (
            <TextInput
              label={t.clientId}
              description={t.thePartnerTellsItTo}
              placeholder={`pc_${mode}_…`}
              autoComplete="off"
              required
              data-autofocus
              {...form.getInputProps('clientId')}
            />
          )}
          <Radio.Group label={t.itMay} {...form.getInputProps('allows')}>
            <Stack gap="xs" mt={6}>
              <Radio value="some" label={t.whatYouChoose} />
              <Radio value="all" label={t.allThatPartnersMayEverything} />
            </Stack>
          </Radio.Group>
          {form.values.allows === 'some' ? (
            <MultiSelect
              label={t.scopes}
              placeholder={form.values.scopes.length === 0 ? t.typeInvoicesWallet : undefined}
              data={SCOPES}
              required
              searchable
              clearable
              hidePickedOptions
              maxDropdownHeight={260}
              nothingFoundMessage={t.noScopeOfThatName}
              {...form.getInputProps('scopes')}
            />
          ) : (
            <Alert color="yellow">{t.thisCanIncludeMovingMoney}</Alert>
          )}
        </>
      )}
    </FormModal>
  )
}
