import { servePeer } from '@mostrador/local-platform/peer';
import { runOpenLoad } from './open-load.ts';
import { runLoad } from './run-load.ts';

servePeer({ run: runLoad, runOpen: runOpenLoad });
