import { emulation, type PlanningTransport } from './transport.ts';

export const sisci: PlanningTransport = {
  name: 'sisci',
  takesInterface: false,
  within: ({ sisciLibrary }) => (sisciLibrary === null ? 'softntb' : null),
  options: (options) => ({
    ...emulation(options),
    ...(options.sisciLibrary === null ? {} : { library: options.sisciLibrary }),
  }),
};
