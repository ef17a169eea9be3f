import { Radio, Stack, TextInput } from '@mantine/core'
import { FormModal } from '../../parts/FormModal.tsx'
import { useOwnRole } from '../../shell/may.ts'
import { t } from '../../texts/team.ts'
import { mayMake, ROLES, roleName } from './roles.ts'

export function Invite({ opened, onClose }: { opened: boolean; onClose(): void }) {
  const own = useOwnRole()
  return (
    <FormModal
      title={t.inviteTitle}
      opened={opened}
      onClose={onClose}
      initial={{ email: '', role: 'viewer' }}
      action={{ path: '/console/team/invite', done: t.invited, refresh: ['/console/team'] }}
      verb={t.inviteVerb}
    >
      {(form) => (
        <>
          <TextInput
            label={t.email}
            type="email"
            autoComplete="off"
            data-autofocus
            {...form.getInputProps('email')}
          />
          <Radio.Group label={t.role} {...form.getInputProps('role')}>
            <Stack gap="xs" pt="xs">
              {ROLES.filter((role) => mayMake(own, role)).map((role) => (
                <Radio key={role} value={role} label={roleName(role)} description={t.roles[role]} />
              ))}
            </Stack>
          </Radio.Group>
        </>
      )}
    </FormModal>
  )
}
